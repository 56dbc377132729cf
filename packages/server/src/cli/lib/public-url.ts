import { readConfig } from '../../config/config.ts';
import type { Shell } from './output.ts';

/** The server's URL according to the environment; empty if the server chooses its own port, which a command does not know. */
export function publicUrl(shell: Pick<Shell, 'environment' | 'folder'>): string {
  const { baseUrl, host, port } = readConfig(shell.environment, shell.folder);
  return baseUrl ?? (port === 0 ? '' : `http://${host.includes(':') ? `[${host}]` : host}:${port}`);
}
