// Made from the contract by `npm run generate`; do not change it by hand.

export interface StoredFile {
  id: string;
  object: 'file';
  name: string;
  content_type: 'application/pdf' | 'image/jpeg' | 'image/png';
  /** Bytes. */
  size: number;
  /** Of the content, in hex. */
  sha256: string;
  livemode: boolean;
  /** Unix seconds. */
  created: number;
}
