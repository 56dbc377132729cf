const mono = 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';
const sans = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';

/** The colours of the other pages, for the theme of Redoc. */
const light = {
  text: '#14171d',
  text2: '#4a5160',
  line: '#d3d7df',
  side: '#f7f8fa',
  raised: '#f5f6f9',
  hover: '#eceef4',
  accent: '#3b4cca',
  good: '#11693f',
  bad: '#b3261e',
  warn: '#80510a',
  word: '#a02018',
};
type Colours = typeof light;

const dark: Colours = {
  text: '#eef0f4',
  text2: '#b3bac7',
  line: '#353c49',
  side: '#0b0d11',
  raised: '#1b1f27',
  hover: '#1d222b',
  accent: '#98a5ff',
  good: '#5fd39a',
  bad: '#ff9a91',
  warn: '#f3c064',
  word: '#ffb4ac',
};

/** Code samples have a dark background in both themes. */
const panel = { back: '#14181f', code: '#0c0f14', text: '#eef0f4' };

const method = (main: string) => ({ main, light: main, dark: main, contrastText: '#ffffff' });

/** Redoc's theme options for the reference. */
export function redocTheme(isDark: boolean): Readonly<Record<string, unknown>> {
  const { text, text2, line, side, raised, hover, accent, good, bad, warn, word } = isDark ? dark : light;
  const answer = (color: string, onPanel: string) => ({
    color,
    backgroundColor: raised,
    tabTextColor: onPanel,
  });
  return {
    spacing: { sectionVertical: 28 },
    colors: {
      primary: { main: accent, light: accent, dark: accent, contrastText: isDark ? '#0e1014' : '#ffffff' },
      success: { main: good, light: good, dark: good, contrastText: isDark ? '#0e1014' : '#ffffff' },
      warning: { main: warn, light: warn, dark: warn, contrastText: isDark ? '#0e1014' : '#ffffff' },
      error: { main: bad, light: bad, dark: bad, contrastText: isDark ? '#0e1014' : '#ffffff' },
      gray: { 50: raised, 100: line },
      border: { dark: line, light: line },
      text: { primary: text, secondary: text2 },
      responses: {
        success: answer(good, dark.good),
        error: answer(bad, dark.bad),
        redirect: answer(warn, dark.warn),
        info: answer(accent, dark.accent),
      },
      http: {
        get: '#11693f',
        post: '#2f5fb3',
        put: '#80510a',
        patch: '#80510a',
        delete: '#b3261e',
        options: '#4a5160',
        head: '#4a5160',
        basic: '#4a5160',
        link: '#4a5160',
      },
      methods: method(accent),
    },
    schema: {
      linesColor: line,
      typeNameColor: text2,
      typeTitleColor: text2,
      requireLabelColor: bad,
      nestedBackground: raised,
      arrow: { size: '1.1em', color: text2 },
    },
    typography: {
      fontSize: '15px',
      lineHeight: '1.6',
      fontFamily: sans,
      headings: { fontFamily: sans, fontWeight: '650' },
      code: { fontSize: '13px', fontFamily: mono, color: word, backgroundColor: raised, wrap: false },
      links: { color: accent, visited: accent, hover: accent, textDecoration: 'underline' },
    },
    sidebar: { width: '17rem', backgroundColor: side, textColor: text2, activeTextColor: accent },
    rightPanel: {
      backgroundColor: panel.back,
      textColor: panel.text,
      servers: {
        overlay: { backgroundColor: raised, textColor: text },
        url: { backgroundColor: hover },
      },
    },
    codeBlock: { backgroundColor: panel.code },
  };
}
