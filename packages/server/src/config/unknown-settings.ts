import { readConfig } from './config.ts';
import type { Environment } from './reader.ts';

/** Settings that only commands read which call the API as a merchant does. */
const ofCommands = ['TILL_API_KEY'];

/**
 * Finds settings that have our prefix but that no code reads: a misspelt setting has no effect.
 * @param environment must have no other fault
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
