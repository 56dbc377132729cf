/** The version of this package, which every request names in `User-Agent`. */
export const version = '0.1.0';
