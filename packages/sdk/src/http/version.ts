/** Version of this package. Every request sends it in the `User-Agent` header. */
export const version = '0.1.0';
