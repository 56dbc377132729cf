import { Marked, type Token, type Tokens } from 'marked';
import { codeHtml, isCode } from './code-blocks.ts';
import { escapeHtml, plainText, slug } from './html.ts';

/** A heading with its text up to the next heading. */
export interface PageSection {
  /** '' for the text before the first heading below the title. */
  readonly id: string;
  readonly title: string;
  readonly depth: number;
  readonly text: string;
}

export interface RenderedPage {
  readonly title: string;
  /** Everything below the title. */
  readonly html: string;
  readonly sections: readonly PageSection[];
}

export interface RenderOptions {
  /**
   * The URL of a link on the site; null if the site has no such page, so that only the text of the link is rendered.
   */
  readonly link: (href: string) => string | null;
  /** The HTML that replaces a comment such as `<!-- test-cards -->`, by the text of the comment. */
  readonly inserts: Readonly<Record<string, string>>;
  /** HTML that is inserted below a heading, by the id of the heading. */
  readonly facts?: (id: string) => string;
}

const isHeading = (token: Token): token is Tokens.Heading => token.type === 'heading';
const isSpace = (token: Token): boolean => token.type === 'space';

/** The deepest heading level that becomes a section, with links from the table of contents and the search. */
const deepestSection = 3;

/** Creates ids that are unique on one page. */
function idMaker(): (title: string) => string {
  const used = new Map<string, number>();
  return (title) => {
    const base = slug(title);
    const count = used.get(base) ?? 0;
    used.set(base, count + 1);
    return count === 0 ? base : `${base}-${count}`;
  };
}

function parserFor(options: RenderOptions): Marked {
  return new Marked({
    renderer: {
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens);
        const target = options.link(href);
        if (target === null) return words;
        const away = /^https?:/.test(target) ? ' rel="noopener noreferrer"' : '';
        return `<a href="${escapeHtml(target)}"${away}>${words}</a>`;
      },
      image: ({ text }) => escapeHtml(text),
      checkbox: () => '<span class="box" aria-hidden="true"></span>',
      html: ({ text }) => options.inserts[/^<!--\s*(.*?)\s*-->/.exec(text)?.[1] ?? ''] ?? '',
      table({ header, rows }) {
        const inline = (cell: Tokens.TableCell) => this.parser.parseInline(cell.tokens);
        // The empty corner of a table that has headers on two sides is not a header.
        const headers = header.map((cell) =>
          cell.text === '' ? '<td></td>' : `<th scope="col">${inline(cell)}</th>`,
        );
        const hasHeader = header.some(({ text }) => text !== '');
        const head = hasHeader ? `<thead><tr>${headers.join('')}</tr></thead>` : '';
        const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${inline(cell)}</td>`).join('')}</tr>`);
        return `<div class="table" tabindex="0" role="group" aria-label="Table">\n<table>${head}<tbody>\n${body.join('\n')}\n</tbody></table></div>\n`;
      },
    },
  });
}

/** Splits tokens into runs that are rendered together: consecutive code blocks, and everything between them. */
function* runsOf(tokens: readonly Token[]): Generator<readonly Token[]> {
  let run: Token[] = [];
  for (const token of tokens) {
    const previous = run.findLast((one) => !isSpace(one));
    const changes = previous !== undefined && !isSpace(token) && isCode(previous) !== isCode(token);
    if (changes) {
      yield run;
      run = [];
    }
    run.push(token);
  }
  yield run;
}

function headingHtml(id: string, depth: number, words: string): string {
  const label = escapeHtml(`Link to this part: ${plainText(words)}`);
  return `<h${depth} id="${id}">${words} <a class="anchor" href="#${id}" aria-label="${label}">#</a></h${depth}>\n`;
}

/**
 * Renders a Markdown file as a page: its title, the HTML below it, and its sections for the table of contents and the
 * search.
 */
export function renderMarkdown(text: string, options: RenderOptions): RenderedPage {
  const marked = parserFor(options);
  const makeId = idMaker();
  const tokens = marked.lexer(text);
  const parse = (some: readonly Token[]) => marked.parser([...some]);
  const inline = new marked.Parser(marked.defaults);
  const render = (some: readonly Token[]) =>
    [...runsOf(some)].map((run) => (run.some(isCode) ? codeHtml(run.filter(isCode)) : parse(run))).join('');
  let title = '';
  let html = '';
  const sections: PageSection[] = [];
  const starts = tokens.flatMap((token, index) =>
    isHeading(token) && token.depth <= deepestSection ? [index] : [],
  );
  for (const start of new Set([0, ...starts])) {
    const end = starts.find((other) => other > start) ?? tokens.length;
    const [first, ...rest] = tokens.slice(start, end);
    const heading = first !== undefined && isHeading(first) ? first : undefined;
    const body = render(heading === undefined ? tokens.slice(start, end) : rest);
    const words = heading === undefined ? '' : inline.parseInline(heading.tokens);
    if (heading?.depth === 1 && title === '') {
      title = plainText(words);
      html += body;
      sections.push({ id: '', title, depth: 1, text: plainText(body) });
      continue;
    }
    const id = heading === undefined ? '' : makeId(plainText(words));
    if (heading !== undefined) html += headingHtml(id, heading.depth, words) + (options.facts?.(id) ?? '');
    html += body;
    if (heading !== undefined) {
      sections.push({ id, title: plainText(words), depth: heading.depth, text: plainText(body) });
    }
  }
  return { title, html, sections };
}
