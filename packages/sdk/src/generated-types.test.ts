import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { generateTypes } from './test-generate-types.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folder = fileURLToPath(new URL('./generated/', import.meta.url));

/** Formats a generated file with this repository's formatter. */
function formatted(name: string, text: string): Promise<string> {
  const parameters = [
    'node_modules/@biomejs/biome/bin/biome',
    'format',
    `--stdin-file-path=${folder}${name}`,
  ];
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, parameters, { cwd: root }, (error, out) => {
      if (error === null) resolve(out);
      else reject(error);
    });
    child.stdin?.end(text);
  });
}

describe('the generated types', () => {
  const files = generateTypes();

  it.each([...files])('%s is what the contract says; else run `npm run generate`', async (name, text) => {
    await expect(await formatted(name, text)).toMatchFileSnapshot(`${folder}${name}`);
  });

  it('has no file that nothing generates', () => {
    expect(readdirSync(folder).sort()).toEqual([...files.keys()].sort());
  });
});
