import { fastifyCookie } from '@fastify/cookie';

const sessionDays = 14;

/** Browsers accept a `__Host-` cookie only over https, without a domain and with the path `/`. */
const nameFor = (baseUrl: string) => (isSecure(baseUrl) ? '__Host-till_session' : 'till_session');
const isSecure = (baseUrl: string) => baseUrl.startsWith('https:');

/** The session token in a request's `Cookie` header; null if there is none. */
export function presentedToken(header: string | undefined, baseUrl: string): string | null {
  return (header === undefined ? undefined : fastifyCookie.parse(header)[nameFor(baseUrl)]) ?? null;
}

/** The value of `Set-Cookie`. @param token null removes the cookie */
export function sessionCookie(token: string | null, baseUrl: string): string {
  return fastifyCookie.serialize(nameFor(baseUrl), token ?? '', {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure(baseUrl),
    maxAge: token === null ? 0 : sessionDays * 24 * 3600,
  });
}
