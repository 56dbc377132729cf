export declare function putInPlace(
  place: string,
  build: (folder: string) => Promise<unknown>,
  now?: number,
): Promise<void>;
