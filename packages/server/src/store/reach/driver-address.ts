const weaker = /(?<=[?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/;

/**
 * An address as the driver is given it. `prefer`, `require` and `verify-ca` are the driver's `verify-full` as well, of which it
 * would warn on standard error in every command.
 */
export const driverAddress = (url: string): string =>
  /[?&]uselibpqcompat=true(?:&|$)/.test(url) ? url : url.replace(weaker, 'verify-full');
