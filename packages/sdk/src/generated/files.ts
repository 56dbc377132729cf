// Made from the contract by `npm run generate`; do not change it by hand.

export interface StoredFile {
  /** `file_` and 24 lowercase letters and digits. */
  id: string;
  /** Always `file`. */
  object: 'file';
  /** As you sent it, without folders. */
  name: string;
  /** As its first bytes say. */
  content_type: 'application/pdf' | 'image/jpeg' | 'image/png';
  /** Bytes. */
  size: number;
  /** Of the content, in hex. */
  sha256: string;
  /** True with a live key, false in the sandbox. */
  livemode: boolean;
  /** Unix seconds. */
  created: number;
}
