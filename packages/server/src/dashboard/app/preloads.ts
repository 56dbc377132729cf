import { dashboardApi } from '@till/contract/dashboard';

/** An entry of the build's manifest. */
interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

/** Chunks by the path of their source, as the build writes them. */
export type BuildManifest = Readonly<Record<string, Chunk>>;

const entry = 'index.html';
const accountId = /^acct_[a-z0-9]{24}$/;

/**
 * The manifest key of a page's chunk. The page `payments` has its source in `payments/payments.tsx`, `settings/team` likewise.
 */
function pageChunk(manifest: BuildManifest, isInside: boolean, path: readonly string[]): string | undefined {
  const place = isInside ? (path.length === 0 ? ['home'] : path) : ['session', path[0] ?? 'start'];
  const name = `src/pages/${place.join('/')}`;
  return [`${name}/${place.at(-1)}.tsx`, `${name}.tsx`].find((source) => source in manifest);
}

interface Files {
  readonly styles: readonly string[];
  /** A script comes before the scripts that import it. */
  readonly scripts: readonly string[];
}

/** The links to these sources and to everything that they import, each once. */
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

/** The first request of a page whose URL has no query, by the page. Each path must equal what the page requests. */
const firstAnswers: Readonly<Record<string, string>> = {
  '': retrieveHome.path,
  payments: `${listPayments.path}?sort=-created&page=1&per_page=50`,
};

/** The API paths that the application requests first. */
function dataOf(account: string, page: string, hasQuery: boolean): string[] {
  const first = hasQuery ? undefined : firstAnswers[page];
  return [retrieveSession.path, retrieveWorkspace.path, ...(first === undefined ? [] : [first])].map(
    (path) => `/dashboard/api${path.replace(':account', account)}`,
  );
}

/**
 * Builds the `Link` header of a page, so that the browser requests files and data while the page is still loading, not only
 * once the first script has run. A browser opens six connections to a server and fills them in the order of the links. The
 * slowest therefore come first, and last comes the page's own script, which is small and runs only once all others are there.
 * @returns a function from the path below `/dashboard/` to the header's value; undefined if the page is unknown
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
