import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

const defaultFile = '/etc/hosts';

/** The addresses for a name in this machine's hosts file (hosts(5)); none if there is no such file. */
export async function knownToHostsFile(
  hostname: string,
  file: string = defaultFile,
): Promise<{ readonly address: string; readonly family: 4 | 6 }[]> {
  const wanted = hostname.toLowerCase().replace(/\.$/, '');
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    const isNamed = names.some((name) => name.toLowerCase() === wanted);
    return isNamed && (family === 4 || family === 6) ? [{ address, family } as const] : [];
  });
}
