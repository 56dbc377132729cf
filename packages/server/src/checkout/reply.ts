import { gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Branding } from '../accounts/branding.ts';
import type { AccountContext } from '../accounts/context.ts';
import type { CheckoutPageDependencies } from './dependencies.ts';
import { isFromOtherSite } from './page-security/cross-site.ts';
import { pageHeaders } from './page-security/policy.ts';
import { otherSitePage } from './pages/end-pages.ts';
import { documentOf } from './pages/layout.ts';
import { type Page, type Scene, withLanguage } from './pages/scene.ts';
import { chooseLanguage, findLanguage, type Language } from './pages/texts/languages.ts';
import { outagePage } from './pages/way-pages.ts';
import { Words } from './pages/words.ts';

type Params = Readonly<Record<string, string>>;

export const paramsOf = (request: FastifyRequest) => request.params as Params;
export const bodyOf = (request: FastifyRequest) => (request.body as Buffer | undefined) ?? Buffer.alloc(0);

export function queryOf(request: FastifyRequest): Record<string, string> {
  return Object.fromEntries(
    Object.entries(request.query as Record<string, string | string[]>).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : (value[0] ?? ''),
    ]),
  );
}

export function send(reply: FastifyReply, scene: Scene, page: Page, framed = false) {
  if (page.leaveFor !== undefined) reply.header('refresh', `0; url=${page.leaveFor}`);
  const text = documentOf(scene, page);
  // Compression leaks nothing through the length of the page (BREACH): anybody who can make it include their input has its
  // address, and therefore the page itself.
  const packs = /\bgzip\b(?!;q=0(?:,|$))/.test(headerOf(reply.request, 'accept-encoding') ?? '');
  if (packs) reply.header('content-encoding', 'gzip');
  return reply
    .code(page.status)
    .header('vary', 'accept-encoding')
    .headers(
      pageHeaders({
        framed,
        ...(page.hostedFields === undefined ? {} : { fieldsFrom: page.hostedFields.origins }),
        ...(page.frame === undefined ? {} : { frame: page.frame }),
      }),
    )
    .send(packs ? gzipSync(text) : text);
}

export const headerOf = (request: FastifyRequest, name: string): string | null => {
  const value = request.headers[name];
  return typeof value === 'string' ? value : null;
};

export const chosenIn = (request: FastifyRequest): Language | undefined => {
  const { lang } = queryOf(request);
  return lang === undefined ? undefined : findLanguage(lang);
};

export function bareScene(deps: CheckoutPageDependencies, request: FastifyRequest): Scene {
  const language = chooseLanguage({
    chosen: chosenIn(request)?.tag ?? null,
    customer: null,
    browserInfo: null,
    accepted: headerOf(request, 'accept-language'),
    account: null,
  });
  return {
    words: new Words(language),
    assets: deps.assets,
    shop: '',
    branding: null,
    logoPath: null,
    isTest: false,
    path: request.url.split('?', 1)[0] ?? '',
    requestId: request.id,
  };
}

/**
 * What a buyer sees if an internal error prevents a page: the payment may have been charged all the same. Does not query
 * the database.
 * @param pageOf path of the page that shows the outcome once it is known
 */
export const sendErrorPage =
  (deps: CheckoutPageDependencies, pageOf: (token: string) => string) =>
  (request: FastifyRequest, reply: FastifyReply, status: number): FastifyReply => {
    const scene = { ...bareScene(deps, request), path: pageOf(paramsOf(request).token ?? '') };
    const query = chosenIn(request) === undefined ? '' : withLanguage(scene, '');
    return send(reply, scene, { ...outagePage(scene, query), status });
  };

/**
 * Answers a form that a page of another site sent.
 * @param path of the page that has the form
 * @returns undefined for any other request
 */
export function refuseOtherSite(
  deps: CheckoutPageDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
) {
  const own = deps.payments.links.checkoutUrl('');
  if (request.method !== 'POST' || !isFromOtherSite(request.headers, own)) return undefined;
  const scene = { ...bareScene(deps, request), path };
  return send(reply, scene, otherSitePage(scene));
}

/** What the pages of a shop have in common. @param isTest whether no real money can move */
export const shopScene = (
  { liveSimulation }: Pick<CheckoutPageDependencies, 'liveSimulation'>,
  context: AccountContext,
  branding: Branding,
): Pick<Scene, 'shop' | 'branding' | 'logoPath' | 'isTest'> => ({
  shop: branding.displayName ?? context.accountName,
  branding,
  logoPath: branding.logo === null ? null : `/checkout/logo/${context.accountId}/${branding.logo.sha256}`,
  isTest: !context.livemode || liveSimulation,
});
