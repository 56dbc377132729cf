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
  /** What is sent instead of a text, such as a shorter form of it; absent: the text. */
  readonly encode?: (request: FastifyRequest, reply: FastifyReply, text: string) => string | Buffer;
}

/** Sends what an operation answered, or what it once answered under the same key, byte for byte. */
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

/** Of documented operations the answers to errors link to what is said about them. */
function linkHelp(reply: FastifyReply, baseUrl: string, code: string): void {
  if (reply.routeOptions.config.isDocumented === true) reply.header('link', helpLink(baseUrl, code));
}

/** The code in an error's text. */
const codeIn = (text: string) => (JSON.parse(text) as ErrorBody).error.code;
