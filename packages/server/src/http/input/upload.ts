import multipart from '@fastify/multipart';
import { ApiError, invalidParam, type Operation } from '@till/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** An uploaded file. Neither its name nor its content type can be trusted. */
export interface Upload {
  readonly name: string;
  readonly content: Buffer;
}

/** Mounts routes in a separate scope that parses forms with files. All other routes refuse such a body, since it is not JSON. */
export function uploadScope(app: FastifyInstance, mount: (scope: FastifyInstance) => void): void {
  app.register(async (scope) => {
    await scope.register(multipart);
    mount(scope);
  });
}

/**
 * Reads the one file of a form.
 * @throws ApiError `missing_field` if the body is not a form; `body_too_large`; `invalid_params` without a file
 */
export async function readUpload(
  request: FastifyRequest,
  { field, maxBytes }: NonNullable<Operation['upload']>,
): Promise<Upload> {
  if (!request.isMultipart()) {
    throw new ApiError('missing_field', `Send the file as multipart/form-data, in the part ${field}.`, {
      param: field,
    });
  }
  let upload: Upload | undefined;
  // The reader of a destroyed stream would get neither an end nor an error.
  if (request.raw.destroyed) {
    throw new ApiError('missing_field', 'The body is not a valid form.', { param: field });
  }
  try {
    for await (const part of request.parts({
      limits: { fileSize: maxBytes, files: 1, fields: 10, fieldSize: 10_000 },
    })) {
      if (part.type !== 'file') continue;
      const content = await part.toBuffer();
      if (part.fieldname === field) upload = { name: part.filename ?? '', content };
    }
  } catch (error) {
    throw refusal(error, field, maxBytes);
  }
  await request.formReceived;
  if (upload === undefined) throw invalidParam(field, `${field} is required: a part with a file.`);
  return upload;
}

/** Every error while a form is read is a fault of the form or its sender, hence a 4xx. */
function refusal(error: unknown, field: string, maxBytes: number): ApiError {
  if (error instanceof ApiError) return error;
  switch ((error as { code?: unknown }).code) {
    case 'FST_REQ_FILE_TOO_LARGE':
      return new ApiError('body_too_large', `A file must be of at most ${maxBytes / 1024 / 1024} MiB.`, {
        param: field,
      });
    case 'FST_FILES_LIMIT':
    case 'FST_FIELDS_LIMIT':
      return invalidParam(field, 'Send one file at a time.');
    default:
      return new ApiError('missing_field', 'The body is not a valid form.', { cause: error });
  }
}
