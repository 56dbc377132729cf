/**
 * The style sheet of the buyer pages: system font, light and dark mode, one column that is designed for
 * phones first.
 */
export const style = `
:root {
  color-scheme: light dark;
  --ground: #f3f4f7;
  --sheet: #ffffff;
  --text: #1a1d24;
  --quiet: #535a68;
  --line: #d5d9e1;
  --accent: #1d4ed8;
  --on-accent: #ffffff;
  --danger: #b42318;
  --notice: #fff4d6;
  --on-notice: #5c4300;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14161b;
    --sheet: #1e2128;
    --text: #eef0f4;
    --quiet: #a9b0bf;
    --line: #3a404c;
    --accent: #9db8ff;
    --on-accent: #10183a;
    --danger: #ffa79e;
    --notice: #3a3013;
    --on-notice: #ffe4a0;
  }
}
*, *::before, *::after { box-sizing: border-box; }
body {
  margin: 0;
  min-height: 100vh;
  background: var(--ground);
  color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
.banner {
  margin: 0;
  padding: 0.6rem 1rem;
  background: var(--notice);
  color: var(--on-notice);
  text-align: center;
  font-weight: 600;
}
main { width: 100%; max-width: 28rem; margin: 0 auto; padding: 1rem; }
.sheet {
  background: var(--sheet);
  border: 1px solid var(--line);
  border-radius: 0.75rem;
  padding: 1.25rem;
}
.from { margin: 0 0 0.5rem; color: var(--quiet); font-size: 0.9rem; }
h1 { margin: 0 0 1rem; font-size: 1.35rem; line-height: 1.25; text-wrap: balance; }
h2 { margin: 1.5rem 0 0.5rem; font-size: 1rem; }
p { margin: 0 0 1rem; }
dl { display: grid; grid-template-columns: auto 1fr; gap: 0.4rem 1rem; margin: 0 0 1.25rem; }
dt { color: var(--quiet); }
dd { margin: 0; text-align: right; overflow-wrap: anywhere; }
dd.amount { font-size: 1.15rem; font-weight: 650; font-variant-numeric: tabular-nums; }
form { display: grid; gap: 0.75rem; }
label { font-weight: 600; }
form + .hint { margin-top: 0.75rem; }
.hint { margin: 0; color: var(--quiet); font-size: 0.9rem; }
input {
  width: 100%;
  min-height: 2.9rem;
  padding: 0.5rem 0.75rem;
  border: 1px solid var(--quiet);
  border-radius: 0.5rem;
  background: var(--sheet);
  color: var(--text);
  font: inherit;
}
button, .button {
  display: inline-flex;
  align-items: center;
  justify-content: center;
  width: 100%;
  min-height: 2.9rem;
  padding: 0.5rem 1rem;
  border: 1px solid var(--quiet);
  border-radius: 0.5rem;
  background: transparent;
  color: var(--text);
  font: inherit;
  font-weight: 600;
  text-decoration: none;
  cursor: pointer;
}
button.main, .button { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button.danger { color: var(--danger); border-color: currentColor; }
button:hover, .button:hover { filter: brightness(0.94); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.tests { border-top: 1px solid var(--line); margin-top: 1.5rem; padding-top: 0.25rem; }
.notice {
  padding: 0.75rem;
  border-radius: 0.5rem;
  background: var(--notice);
  color: var(--on-notice);
}
@media (min-width: 32rem) {
  main { padding: 3rem 1rem; }
  .sheet { padding: 2rem; }
  .row { grid-template-columns: repeat(3, 1fr); }
}
`;
