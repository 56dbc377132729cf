import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const commandLine = fileURLToPath(new URL('../../../till', import.meta.url));

it('a command ends quietly where nobody reads the rest of what it prints', async () => {
  const { stderr } = await promisify(execFile)('sh', ['-c', `'${commandLine}' completion bash | head -c 9`]);
  expect(stderr).toBe('');
});
