import { dataOf, find } from './dom.ts';
import { pollUntil } from './wait.ts';

/**
 * Shows the bank's page in a frame on ours. A bank that goes on to an address which our policy does not let into a
 * frame gets the whole window instead.
 */
export function openBankFrame(): void {
  const place = find('bank', HTMLElement);
  if (place === undefined) return;
  const address = dataOf(place, 'address');
  const frame = document.createElement('iframe');
  frame.title = dataOf(place, 'title');
  frame.allow = 'payment *; publickey-credentials-get *';
  frame.src = address;
  document.addEventListener('securitypolicyviolation', (event) => {
    if (event.effectiveDirective === 'frame-src') location.assign(address);
  });
  place.replaceChildren(frame);
  pollUntil(
    dataOf(place, 'state'),
    (state) => state !== 'waiting',
    () => location.replace(dataOf(place, 'after')),
  );
}

/** The bank has sent its frame back to us: the whole window goes on from here. */
export function leaveFrame(): void {
  const link = find('leave-frame', HTMLAnchorElement);
  if (link !== undefined && window.top !== null && window.top !== window.self)
    window.top.location.replace(link.href);
}
