import { localeOf } from '../../../lib/text/language-tag.ts';
import type { ChargeRequest } from '../../port/port.ts';

/** `browserInfo`; the upstream requires all members or none. */
export interface UpstreamBrowserInfo {
  readonly userAgent: string;
  readonly acceptHeader: string;
  readonly language: string;
  readonly screenHeight: number;
  readonly screenWidth: number;
  readonly colorDepth: number;
  readonly timeZoneOffset: number;
  readonly javaEnabled: boolean;
  readonly javaScriptEnabled: boolean;
}

/** Color depths in bits per pixel that EMV 3-D Secure defines. */
const colorDepths: ReadonlySet<number> = new Set([1, 4, 8, 15, 16, 24, 30, 32, 48]);

/** Keeps language and country: the upstream accepts no other parts of a language tag (Adyen API, `shopperLocale`). */
export function upstreamLocale(tag: string | null | undefined): string | undefined {
  const { language, region } = localeOf(tag ?? '') ?? {};
  return language !== undefined && /^[A-Z]{2}$/.test(region ?? '') ? `${language}-${region}` : language;
}

/**
 * The buyer's browser data for 3-D Secure, or undefined without a user agent, the one member that has no possible default.
 * The merchant's `browser_info` takes precedence over the request's headers (Adyen API, BrowserInfo).
 */
export function upstreamBrowserInfo(request: ChargeRequest): UpstreamBrowserInfo | undefined {
  const info = request.browserInfo ?? {};
  const userAgent = info.user_agent || request.userAgent;
  if (!userAgent) return undefined;
  const colorDepth = info.color_depth ?? 24;
  return {
    userAgent,
    acceptHeader: info.accept_header || request.acceptHeader || 'text/html,*/*',
    language: info.language || upstreamLocale(request.buyer?.locale) || 'en',
    screenHeight: info.screen_height ?? 0,
    screenWidth: info.screen_width ?? 0,
    colorDepth: colorDepths.has(colorDepth) ? colorDepth : 24,
    timeZoneOffset: info.time_zone_offset ?? 0,
    javaEnabled: info.java_enabled ?? false,
    javaScriptEnabled: true,
  };
}
