import type { Operation } from '@till/contract';
import type { FastifyInstance } from 'fastify';
import type { Importance } from './admission.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The priority of the route in overload; `ordinary` if absent. */
    importance?: Importance;
  }
}

interface Route {
  readonly method: string;
  readonly pattern: RegExp;
}

/** The priority of an operation's route in overload. */
export const importanceOf = ({ movesMoney }: Pick<Operation, 'movesMoney'>): Importance =>
  movesMoney === true ? 'money' : 'ordinary';

/** The routes of a server by path, for decisions that are made without the framework's router. */
export class RouteTable {
  readonly #routes: Route[] = [];
  /** The few routes that are not `ordinary`. */
  readonly #important: (Route & { readonly importance: Importance })[] = [];

  /** @param app the server; every route that is added to it from now on is recorded */
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

  /** The methods that a URL accepts. */
  methodsAt(url: string): string[] {
    const path = pathOf(url);
    return [...new Set(this.#routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))];
  }

  /** The priority of a request in overload. */
  importanceAt(method: string, url: string): Importance {
    const path = pathOf(url);
    const route = this.#important.find((one) => one.method === method && one.pattern.test(path));
    return route?.importance ?? 'ordinary';
  }
}

/** The path of a URL, without the query. A trailing slash means the same route (decisions, "Limits and refusals"). */
export function pathOf(url: string): string {
  const path = url.split('?', 1)[0] ?? '';
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
