import { readConfig } from '../../config/config.ts';
import type { Shell } from './output.ts';

/** Where the server answers as far as the environment says; empty: a port that the system chose is not known here. */
export function publicUrl(shell: Pick<Shell, 'environment' | 'folder'>): string {
  const { baseUrl, host, port } = readConfig(shell.environment, shell.folder);
  return baseUrl ?? (port === 0 ? '' : `http://${host.includes(':') ? `[${host}]` : host}:${port}`);
}
