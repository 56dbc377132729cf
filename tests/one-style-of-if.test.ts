import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const manifest = createRequire(import.meta.url).resolve('oxlint/package.json');
const oxlint = join(dirname(manifest), 'bin/oxlint');
const plugin = fileURLToPath(new URL('../tools/lint/one-style-of-if.mjs', import.meta.url));

/** @returns each text after `oxlint --fix` with this rule alone */
function fixed(texts: readonly string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'till-if-'));
  const config = {
    jsPlugins: [plugin],
    categories: { correctness: 'off' },
    rules: { 'till/one-style-of-if': 'error' },
  };
  const paths = texts.map((_, index) => join(folder, `${index}.ts`));
  try {
    writeFileSync(join(folder, '.oxlintrc.json'), JSON.stringify(config));
    for (const [index, text] of texts.entries()) writeFileSync(paths[index] ?? '', text);
    execFileSync(process.execPath, [oxlint, '-c', join(folder, '.oxlintrc.json'), '--fix', folder]);
    return paths.map((path) => readFileSync(path, 'utf8'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const long = `${'x'.repeat(100)}()`;

it('one style of if leaves what fits on its line, and what has braces and needs them', () => {
  const right = [
    'if (a) b();',
    `if (a) ${long};`,
    'if (a) b();\nelse if (c) d();\nelse e();',
    `if (a) {\n  x${long};\n}`,
    'if (a) {\n  // Why.\n  b();\n}',
    'if (a) {\n  b();\n  c();\n}',
    'if (a) {\n  for (const b of c) d(b);\n}',
    'if (a) {\n  if (b) c();\n}',
    'if (a) {\n  b();\n} else {\n  c();\n  d();\n}',
    'if (a) {\n  b({\n    c,\n  });\n}',
    'if (\n  a &&\n  b\n) {\n  c();\n}',
  ];
  expect(fixed(right)).toEqual(right);
});

it('one style of if folds what fits, and gives braces to what does not', () => {
  const wrong: readonly (readonly [text: string, right: string])[] = [
    ['if (a) {\n  b();\n}', 'if (a) b();'],
    [
      'if (a) {\n  b();\n} else if (c) {\n  d();\n} else {\n  e();\n}',
      'if (a) b();\nelse if (c) d();\nelse e();',
    ],
    [`if (a)\n  x${long};`, `if (a)\n  {x${long};}`],
    ['if (a) if (b) c();', 'if (a) {if (b) c();}'],
    ['if (a) b();\nelse {\n  c();\n  d();\n}', 'if (a) {b();}\nelse {\n  c();\n  d();\n}'],
    ['if (\n  a &&\n  c\n) b();', 'if (\n  a &&\n  c\n) {b();}'],
  ];
  expect(fixed(wrong.map(([text]) => text))).toEqual(wrong.map(([, right]) => right));
});
