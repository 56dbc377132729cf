import type { ErrorBody } from '@till/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorText, helpLink } from '../server/app.ts';
import type { Answer, Answered } from './answer-once.ts';
import type { Entry } from './pipeline.ts';
import type { Serializers } from './serialize.ts';

export interface SendDependencies {
  readonly serializers: Serializers;
  readonly onReplay: () => void;
  readonly baseUrl: () => string;
  /** Encodes the text before it is sent, e.g. compresses it. If absent, the text is sent unchanged. */
  readonly encode?: (request: FastifyRequest, reply: FastifyReply, text: string) => string | Buffer;
}

/** Sends the answer of an operation, or the stored answer of an earlier request with the same key, byte for byte. */
export async function sendAnswer(
  { serializers, onReplay, baseUrl, encode }: SendDependencies,
  operation: Parameters<Serializers['write']>[0],
  { request, reply }: Entry,
  answer: Answered<Answer>,
): Promise<FastifyReply> {
  if ('replay' in answer) {
    onReplay();
    const { status, body } = answer.replay;
    if (status >= 400) linkHelp(reply, baseUrl(), codeIn(body));
    return reply.header('idempotent-replayed', 'true').code(status).send(body);
  }
  if ('refusal' in answer) {
    const { refusal, keep } = answer;
    const text = errorText(refusal, baseUrl(), request.id);
    await keep(text);
    request.logFields.code = refusal.code;
    linkHelp(reply, baseUrl(), refusal.code);
    return reply.code(refusal.status).send(text);
  }
  const text = 'text' in answer ? answer.text : serializers.write(operation, answer.status, answer.body);
  return reply.code(answer.status).send(encode === undefined ? text : encode(request, reply, text));
}

/** Error responses of documented operations link to the documentation of the error code. */
function linkHelp(reply: FastifyReply, baseUrl: string, code: string): void {
  if (reply.routeOptions.config.isDocumented === true) reply.header('link', helpLink(baseUrl, code));
}

/** The error code in the text of an error response. */
const codeIn = (text: string) => (JSON.parse(text) as ErrorBody).error.code;
