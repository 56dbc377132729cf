import { isObject, type JsonObject } from '../../lib/json.ts';
import { malformed, unprocessable } from './errors.ts';

/** Forms with a JSON part and files (RFC 7578), which the Customer Disputes API accepts. */

export interface UploadedFile {
  readonly name: string;
  readonly contentType: string;
  readonly size: number;
}

export interface Form {
  readonly input: JsonObject;
  readonly files: readonly UploadedFile[];
}

const allowedTypes = new Set(['image/jpeg', 'image/gif', 'image/png', 'application/pdf']);
const mebibyte = 1024 * 1024;
const maxFileBytes = 10 * mebibyte;
const maxFormBytes = 50 * mebibyte;

function readInput(text: string): JsonObject {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw malformed('MALFORMED_REQUEST_JSON', 'input');
  }
  if (!isObject(parsed)) throw malformed('MALFORMED_REQUEST_JSON', 'input');
  return parsed;
}

function checkFile({ name, contentType, size }: UploadedFile): void {
  if (!allowedTypes.has(contentType)) throw unprocessable('INVALID_PARAMETER_VALUE', name);
  if (size === 0 || size > maxFileBytes) throw unprocessable('INVALID_STRING_LENGTH', name);
}

/** Reads a form. Its JSON part is called `input`, and every part with a file name is an uploaded file. */
export async function readForm(contentType: string, body: Buffer): Promise<Form> {
  if (body.length > maxFormBytes) throw unprocessable('INVALID_STRING_LENGTH');
  let form: FormData;
  try {
    form = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
  } catch {
    throw malformed('INVALID_PARAMETER_SYNTAX');
  }
  let input: JsonObject = {};
  const files: UploadedFile[] = [];
  for (const [field, value] of form.entries()) {
    if (typeof value === 'string') {
      if (field === 'input') input = readInput(value);
      continue;
    }
    const file = { name: value.name, contentType: value.type, size: value.size };
    checkFile(file);
    files.push(file);
  }
  return { input, files };
}
