import type { Operation } from '@till/contract';
import type { FastifyInstance } from 'fastify';
import type { Importance } from './admission.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the route gives way to in overload; absent: `ordinary`. */
    importance?: Importance;
  }
}

interface Route {
  readonly method: string;
  readonly pattern: RegExp;
}

/** What an operation's route gives way to in overload. */
export const importanceOf = ({ movesMoney }: Pick<Operation, 'movesMoney'>): Importance =>
  movesMoney === true ? 'money' : 'ordinary';

/** The routes that a server has, by the addresses they answer: for what is decided without the framework's router. */
export class RouteTable {
  readonly #routes: Route[] = [];
  /** Few: those that are not `ordinary`. */
  readonly #important: (Route & { readonly importance: Importance })[] = [];

  /** @param app knows every route that is added from now on */
  constructor(app: FastifyInstance) {
    app.addHook('onRoute', ({ method: methods, url, config }) => {
      const pattern = new RegExp(
        `^${url.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/:[a-z_]+/g, '[^/]+')}$`,
      );
      const importance = config?.importance ?? 'ordinary';
      for (const method of [methods].flat()) {
        this.#routes.push({ method, pattern });
        if (importance !== 'ordinary') this.#important.push({ method, pattern, importance });
      }
    });
  }

  /** The methods that an address takes. */
  methodsAt(url: string): string[] {
    const path = pathOf(url);
    return [...new Set(this.#routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))];
  }

  /** What a request gives way to. */
  importanceAt(method: string, url: string): Importance {
    const path = pathOf(url);
    const route = this.#important.find((one) => one.method === method && one.pattern.test(path));
    return route?.importance ?? 'ordinary';
  }
}

/** An address without its query; a slash at the end means the same route (decisions, "Limits and refusals"). */
export function pathOf(url: string): string {
  const path = url.split('?', 1)[0] ?? '';
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
