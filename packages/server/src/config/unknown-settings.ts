import { readConfig } from './config.ts';
import type { Environment } from './reader.ts';

/** Read by commands that speak to a server as a merchant does. */
const ofCommands = ['TILL_API_KEY'];

/**
 * Settings named as ours are that nothing reads: a misspelt one has no effect.
 * @param environment with no other fault
 */
export function unknownSettings(environment: Environment): string[] {
  const known = new Set<string | symbol>(ofCommands);
  const noting = new Proxy(environment, {
    get: (settings, name) => {
      known.add(name);
      return Reflect.get(settings, name);
    },
  });
  readConfig(noting, '/');
  return Object.keys(environment).filter((name) => name.startsWith('TILL_') && !known.has(name));
}
