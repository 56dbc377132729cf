import type { StoredFile } from '../generated/index.ts';
import { operations } from '../generated/operations.ts';
import type { Client, RequestOptions } from '../http/client.ts';

/** A PDF, JPEG or PNG of at most 5 MiB. */
export interface FileUpload {
  readonly name: string;
  readonly content: Uint8Array | Blob;
}

/** Evidence for disputes; turned on and off with them. */
export class Files {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** @throws TillError `invalid_params` for another kind of file, `body_too_large` */
  create({ name, content }: FileUpload, options?: RequestOptions): Promise<StoredFile> {
    const form = new FormData();
    // A copy, since a view of shared memory cannot be sent.
    const blob = content instanceof Blob ? content : new Blob([Uint8Array.from(content)]);
    form.append(operations.createFile.upload, blob, name);
    return this.#client.call('createFile', { form }, options);
  }

  /** @throws TillError `not_found` */
  retrieve(id: string, options?: RequestOptions): Promise<StoredFile> {
    return this.#client.call('retrieveFile', { path: { id } }, options);
  }
}
