import type { StoredFile } from '../generated/index.ts';
import { operations } from '../generated/operations.ts';
import type { Client, RequestOptions } from '../http/client.ts';

/** A PDF, JPEG or PNG file of at most 5 MiB. */
export interface FileUpload {
  readonly name: string;
  readonly content: Uint8Array | Blob;
}

/** Files with evidence for disputes. These endpoints are enabled together with those of disputes. */
export class Files {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * Uploads a file.
   * @throws TillError `invalid_params` if the file is of another type, `body_too_large` if it is too large
   */
  create({ name, content }: FileUpload, options?: RequestOptions): Promise<StoredFile> {
    const form = new FormData();
    // // Copies the bytes, because `Blob` does not accept a view of shared memory.
    const blob = content instanceof Blob ? content : new Blob([Uint8Array.from(content)]);
    form.append(operations.createFile.upload, blob, name);
    return this.#client.call('createFile', { form }, options);
  }

  /**
   * Retrieves the name, type and size of a file. The API never returns the content.
   * @param id the `file_` id
   * @throws TillError `not_found`
   */
  retrieve(id: string, options?: RequestOptions): Promise<StoredFile> {
    return this.#client.call('retrieveFile', { path: { id } }, options);
  }
}
