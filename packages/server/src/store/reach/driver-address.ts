const weaker = /(?<=[?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/;

/**
 * The address to pass to the driver. The driver treats `prefer`, `require` and `verify-ca` as `verify-full`, and would warn of
 * that on standard error in every command.
 */
export const driverAddress = (url: string): string =>
  /[?&]uselibpqcompat=true(?:&|$)/.test(url) ? url : url.replace(weaker, 'verify-full');
