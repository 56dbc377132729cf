import { fastifyCookie } from '@fastify/cookie';

const sessionDays = 14;

/** Browsers keep a `__Host-` cookie only from https, without a domain and for the whole site. */
const nameFor = (baseUrl: string) => (isSecure(baseUrl) ? '__Host-till_session' : 'till_session');
const isSecure = (baseUrl: string) => baseUrl.startsWith('https:');

/** The session's token that a request carries. */
export function presentedToken(header: string | undefined, baseUrl: string): string | null {
  return (header === undefined ? undefined : fastifyCookie.parse(header)[nameFor(baseUrl)]) ?? null;
}

/** The value of `Set-Cookie`. @param token null takes the cookie away */
export function sessionCookie(token: string | null, baseUrl: string): string {
  return fastifyCookie.serialize(nameFor(baseUrl), token ?? '', {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure(baseUrl),
    maxAge: token === null ? 0 : sessionDays * 24 * 3600,
  });
}
