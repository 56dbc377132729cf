import type { Task } from '../buyer/buyer-tasks.ts';
import type { WireResponse } from '../lib/wire.ts';
import { type Html, html, nothing, page } from './html.ts';

function facts(task: Task): Html {
  const shop = task.shop === null ? nothing : html`<dt>Shop</dt><dd>${task.shop}</dd>`;
  const card = task.card === null ? nothing : html`<dt>Card</dt><dd>ending in ${task.card}</dd>`;
  const amount = task.amount === null ? nothing : html`<dt>Amount</dt><dd class="amount">${task.amount}</dd>`;
  return html`<dl>${shop}${amount}${card}</dl>`;
}

const silence = html`<p class="notice" role="status">The answer never came back. This is what this test case stands for: close the window, as a buyer would.</p>`;

function question({ shop, amount }: Task): string {
  if (amount === null) return `Let ${shop ?? 'the shop'} charge this wallet later?`;
  return shop === null ? 'Approve this payment?' : `Pay ${shop}?`;
}

function approval(task: Task, action: string, unanswered: boolean): WireResponse {
  return page(
    200,
    task.amount === null ? 'Save the wallet' : 'Approve the payment',
    html`<p class="from">Test wallet</p>
<h1>${question(task)}</h1>
${unanswered ? silence : nothing}
${facts(task)}
<form method="post" action="${action}">
<button class="main" name="action" value="approve">Approve</button>
<button class="danger" name="action" value="decline">Decline</button>
<button name="action" value="cancel">Cancel and return to the shop</button>
</form>
<p class="hint">Approve lets the shop take the money. Decline comes back approved, but the funding is then refused.</p>`,
  );
}

function challenge(task: Task, action: string, unanswered: boolean): WireResponse {
  return page(
    200,
    'Confirm it is you',
    html`<p class="from">Test bank</p>
<h1>Confirm that this is you</h1>
${unanswered ? silence : nothing}
${facts(task)}
<form method="post" action="${action}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="off" aria-describedby="password-hint">
<p class="hint" id="password-hint">The test password is <strong>password</strong>; any other one fails.</p>
<button class="main" name="action" value="password">Continue</button>
</form>
<section class="tests" aria-labelledby="tests">
<h2 id="tests">Or choose the result</h2>
<form class="row" method="post" action="${action}">
<button name="action" value="pass">Pass</button>
<button class="danger" name="action" value="fail">Fail</button>
<button name="action" value="cancel">Cancel</button>
</form>
</section>`,
  );
}

/** The page on which the buyer decides. */
export function taskPage(task: Task, action: string, unanswered: boolean): WireResponse {
  return task.kind === 'approval' ? approval(task, action, unanswered) : challenge(task, action, unanswered);
}

/**
 * The page that brings the browser back to the shop. It does not redirect the form: browsers that enforce
 * `form-action` would refuse to follow a redirect to another origin.
 */
export function leavePage(returnUrl: string | null): WireResponse {
  if (returnUrl === null) {
    return page(200, 'Done', html`<h1>Done</h1><p>You can close this window and return to the shop.</p>`);
  }
  return page(
    200,
    'Back to the shop',
    html`<h1>Taking you back to the shop</h1>
<p>If nothing happens, go on yourself.</p>
<p><a class="button" href="${returnUrl}">Back to the shop</a></p>`,
    { refresh: `0; url=${returnUrl}` },
  );
}

export function overPage(): WireResponse {
  return page(
    410,
    'Too late',
    html`<h1>This payment is over</h1><p>It was not confirmed in time, or was cancelled. Nothing was charged here. Return to the shop to start again.</p>`,
  );
}

export function missingPage(): WireResponse {
  return page(
    404,
    'Not found',
    html`<h1>There is no such payment</h1><p>The address is wrong, or the payment is gone.</p>`,
  );
}
