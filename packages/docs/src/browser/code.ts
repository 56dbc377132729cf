import { announce, element } from './dom.ts';
import { recall, remember } from './storage.ts';

/** The address of the server in the sources of the pages. */
const writtenAddress = '127.0.0.1:8080';
const languageKey = 'docs.language';

/**
 * Replaces the server's address in examples by the address of the server that shows them, so that they can be run
 * unchanged.
 */
export function ownAddress(): void {
  const { host, origin } = location;
  if (host === writtenAddress) return;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node.parentElement?.closest('code') === null || node.nodeValue?.includes(writtenAddress) !== true) {
      continue;
    }
    node.nodeValue = node.nodeValue
      .replaceAll(`http://${writtenAddress}`, origin)
      .replaceAll(writtenAddress, host);
  }
}

/** Adds a copy button to every code block. */
export function copyButtons(): void {
  for (const block of document.querySelectorAll<HTMLElement>('.code')) {
    const code = block.querySelector('code');
    if (code === null) continue;
    const button = element('button', { type: 'button', class: 'copy' }, 'Copy');
    const reset = () => {
      button.textContent = 'Copy';
    };
    const copy = async () => {
      try {
        await navigator.clipboard.writeText(code.textContent ?? '');
        button.textContent = 'Copied';
        announce('Copied');
      } catch {
        button.textContent = 'Select and copy by hand';
        getSelection()?.selectAllChildren(code);
        announce('The browser does not allow copying here. The code is selected: copy it by hand.');
      }
    };
    button.addEventListener('click', () => void copy());
    button.addEventListener('blur', reset);
    button.addEventListener('pointerleave', reset);
    block.append(button);
  }
}

interface TabSet {
  readonly tabs: readonly HTMLButtonElement[];
  select(index: number): void;
  readonly languages: readonly string[];
}

function tabSet(group: HTMLElement, number: number): TabSet {
  const blocks = [...group.querySelectorAll<HTMLElement>('.code')];
  const list = element('div', { role: 'tablist', 'aria-label': 'Language' });
  const tabs = blocks.map((block, index) => {
    block.id = `tabs-${number}-${index}`;
    block.setAttribute('role', 'tabpanel');
    const name = block.querySelector('.code-name');
    const tab = element(
      'button',
      { type: 'button', role: 'tab', id: `${block.id}-tab`, 'aria-controls': block.id },
      name?.textContent ?? '',
    );
    block.setAttribute('aria-labelledby', tab.id);
    name?.remove();
    list.append(tab);
    return tab;
  });
  group.prepend(list);
  return {
    tabs,
    languages: blocks.map((block) => block.dataset.language ?? ''),
    select(index) {
      for (const [at, tab] of tabs.entries()) {
        tab.setAttribute('aria-selected', String(at === index));
        tab.tabIndex = at === index ? 0 : -1;
        const block = blocks[at];
        if (block !== undefined) block.hidden = at !== index;
      }
    },
  };
}

/**
 * Shows blocks with the same example in several languages as tabs. The choice of a language applies to all of them, on
 * every page.
 */
export function languageTabs(): void {
  const sets = [...document.querySelectorAll<HTMLElement>('.tabs')].map(tabSet);
  const choose = (language: string) => {
    for (const set of sets) set.select(Math.max(0, set.languages.indexOf(language)));
  };
  const chosen = recall(languageKey);
  choose(typeof chosen === 'string' ? chosen : 'sh');
  for (const { tabs, languages } of sets) {
    for (const [index, tab] of tabs.entries()) {
      const pick = (at: number) => {
        const to = (at + tabs.length) % tabs.length;
        const before = tab.getBoundingClientRect().top;
        remember(languageKey, languages[to] ?? '');
        choose(languages[to] ?? '');
        tabs[to]?.focus();
        // The height of the blocks above has changed; this keeps the tab at its place on the screen.
        scrollBy(0, tab.getBoundingClientRect().top - before);
      };
      tab.addEventListener('click', () => pick(index));
      tab.addEventListener('keydown', (event) => {
        const to = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: tabs.length - 1 }[event.key];
        if (to === undefined) return;
        event.preventDefault();
        pick(to);
      });
    }
  }
}

/** Puts a block into the tab order only if it scrolls. */
export function scrollStops(): void {
  const regions = [...document.querySelectorAll<HTMLElement>('.table, .code pre')];
  const look = (region: Element) => {
    if (region instanceof HTMLElement) region.tabIndex = region.scrollWidth > region.clientWidth ? 0 : -1;
  };
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) look(target);
  });
  for (const region of regions) observer.observe(region);
}
