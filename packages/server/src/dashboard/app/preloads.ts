import { dashboardApi } from '@till/contract/dashboard';

/** What the build says of one of its files. */
interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

/** By the source's path, as the build writes it. */
export type BuildManifest = Readonly<Record<string, Chunk>>;

const entry = 'index.html';
const accountId = /^acct_[a-z0-9]{24}$/;

/** The chunk of a page, by where its source lies: `payments` in `payments/payments.tsx`, `settings/team` likewise. */
function pageChunk(manifest: BuildManifest, isInside: boolean, path: readonly string[]): string | undefined {
  const place = isInside ? (path.length === 0 ? ['home'] : path) : ['session', path[0] ?? 'start'];
  const name = `src/pages/${place.join('/')}`;
  return [`${name}/${place.at(-1)}.tsx`, `${name}.tsx`].find((source) => source in manifest);
}

interface Files {
  readonly styles: readonly string[];
  /** Those that are imported before those that import them. */
  readonly scripts: readonly string[];
}

/** The links to these sources and to all that they import, each once. */
function filesOf(manifest: BuildManifest, sources: readonly string[]): Files {
  const all = new Set(sources);
  for (const source of all) for (const imported of manifest[source]?.imports ?? []) all.add(imported);
  const chunks = [...all].flatMap((source) => manifest[source] ?? []);
  const styles = new Set(chunks.flatMap(({ css = [] }) => css));
  return {
    styles: [...styles].map((file) => `</dashboard/${file}>; rel=preload; as=style; crossorigin`),
    scripts: chunks.map(({ file }) => `</dashboard/${file}>; rel=modulepreload`).reverse(),
  };
}

const { retrieveSession, retrieveWorkspace, retrieveHome, listPayments } = dashboardApi;

/** What pages ask for at once where their address has no query, written as they do. */
const firstAnswers: Readonly<Record<string, string>> = {
  '': retrieveHome.path,
  payments: `${listPayments.path}?sort=-created&page=1&per_page=50`,
};

/** The answers that the application asks for first. */
function dataOf(account: string, page: string, hasQuery: boolean): string[] {
  const first = hasQuery ? undefined : firstAnswers[page];
  return [retrieveSession.path, retrieveWorkspace.path, ...(first === undefined ? [] : [first])].map(
    (path) => `/dashboard/api${path.replace(':account', account)}`,
  );
}

/**
 * Names what a page needs first in its `Link` header, so that the browser asks for it while the page is still on its way,
 * not once the first script has run. A browser has six connections to a server, which the links take in their order: what
 * takes longest comes first, and last the page's own script, which is small and runs once all the others are there.
 * @returns the header's value by the address below `/dashboard/`; undefined where nothing is known
 */
export function preloadsOf(manifest: BuildManifest): (path: string, hasQuery: boolean) => string | undefined {
  return (path, hasQuery) => {
    const segments = path.split('/').filter((segment) => segment !== '');
    const [account = ''] = segments;
    const isInside = accountId.test(account);
    const page = isInside ? segments.slice(1) : segments;
    const source = pageChunk(manifest, isInside, page);
    const { styles, scripts } = filesOf(manifest, source === undefined ? [] : [entry, source]);
    const data = (isInside ? dataOf(account, page.join('/'), hasQuery) : []).map(
      (url) => `<${url}>; rel=preload; as=fetch; crossorigin`,
    );
    const links = [...styles, ...scripts.slice(0, -1), ...data, ...scripts.slice(-1)];
    return links.length === 0 ? undefined : links.join(', ');
  };
}
