import { element } from './dom.ts';
import { type Found, find, type IndexEntry } from './find.ts';

const loadFailed = 'The search could not be loaded. Use the menu instead.';

interface SearchElements {
  readonly dialog: HTMLDialogElement;
  readonly input: HTMLInputElement;
  readonly list: HTMLUListElement;
  readonly status: HTMLElement;
}

function build(): SearchElements {
  const input = element('input', {
    type: 'text',
    id: 'search-words',
    role: 'combobox',
    'aria-label': 'Search the documentation',
    'aria-expanded': 'false',
    'aria-controls': 'search-found',
    'aria-autocomplete': 'list',
    placeholder: 'A word, an error code, a test card …',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const list = element('ul', { id: 'search-found', role: 'listbox', 'aria-label': 'Found' });
  const status = element('p', { role: 'status', class: 'search-status' });
  const close = element('button', { type: 'button', class: 'search-close' }, 'Close');
  const dialog = element(
    'dialog',
    { class: 'search', 'aria-label': 'Search' },
    element('div', { class: 'search-top' }, input, close),
    status,
    list,
  );
  close.addEventListener('click', () => dialog.close());
  // A click beside the box has the dialog itself as its target.
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  return { dialog, input, list, status };
}

/** The search dialog with its list of results and the selected one. */
class Search {
  readonly #elements = build();
  readonly #address: string;
  #index: readonly IndexEntry[] | undefined;
  #found: readonly Found[] = [];
  #chosen = 0;

  constructor(address: string) {
    this.#address = address;
    const { input } = this.#elements;
    input.addEventListener('input', () => this.#look());
    input.addEventListener('keydown', (event) => this.#key(event));
  }

  async open(): Promise<void> {
    const { dialog, input, status } = this.#elements;
    if (!dialog.open) dialog.showModal();
    input.select();
    try {
      this.#index ??= (await (await fetch(this.#address)).json()) as readonly IndexEntry[];
      this.#look();
    } catch {
      status.textContent = loadFailed;
    }
  }

  #look(): void {
    const { input, list, status } = this.#elements;
    this.#found = find(this.#index ?? [], input.value);
    list.replaceChildren(...this.#found.map((found, index) => this.#line(found, index)));
    input.setAttribute('aria-expanded', String(this.#found.length > 0));
    if (input.value.trim() === '') status.textContent = '';
    else status.textContent = this.#found.length === 0 ? 'Nothing found.' : `${this.#found.length} found`;
    this.#choose(0);
  }

  #line({ address, page, section, excerpt }: Found, index: number): HTMLLIElement {
    const line = element(
      'li',
      { role: 'option', id: `found-${index}`, 'aria-selected': 'false' },
      element('span', { class: 'found-title' }, section === '' ? page : section),
      element('span', { class: 'found-page' }, section === '' ? '' : page),
      element('span', { class: 'found-text' }, excerpt),
    );
    line.addEventListener('click', () => this.#go(address));
    line.addEventListener('pointermove', () => {
      if (this.#chosen !== index) this.#choose(index);
    });
    return line;
  }

  #choose(index: number): void {
    const { input, list } = this.#elements;
    const lines = [...list.children];
    this.#chosen = lines.length === 0 ? 0 : (index + lines.length) % lines.length;
    for (const [at, line] of lines.entries()) line.setAttribute('aria-selected', String(at === this.#chosen));
    const chosen = lines[this.#chosen];
    if (chosen === undefined) {
      input.removeAttribute('aria-activedescendant');
    } else {
      input.setAttribute('aria-activedescendant', chosen.id);
      chosen.scrollIntoView({ block: 'nearest' });
    }
  }

  #key(event: KeyboardEvent): void {
    if (event.key === 'ArrowDown') this.#choose(this.#chosen + 1);
    else if (event.key === 'ArrowUp') this.#choose(this.#chosen - 1);
    else if (event.key === 'Enter') this.#go(this.#found[this.#chosen]?.address);
    else return;
    event.preventDefault();
  }

  #go(address: string | undefined): void {
    if (address === undefined) return;
    this.#elements.dialog.close();
    location.assign(address);
  }
}

/** Sets up the search, which opens by its button and by Ctrl-K or ⌘K. */
export function search(): void {
  const button = document.querySelector<HTMLButtonElement>('#search-open');
  const address = document.querySelector<HTMLElement>('.bar')?.dataset.search;
  if (button === null || address === undefined) return;
  let made: Search | undefined;
  const open = () => {
    made ??= new Search(address);
    void made.open();
  };
  button.hidden = false;
  button.addEventListener('click', open);
  document.addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    open();
  });
}
