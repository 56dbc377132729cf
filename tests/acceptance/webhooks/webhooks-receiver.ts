import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** One delivery as a merchant's server receives it. */
export interface ReceivedWebhook {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly event: {
    readonly id: string;
    readonly type: string;
    readonly livemode: boolean;
    readonly sequence: number;
    readonly data: { readonly object: { readonly id: string; readonly status?: string } };
  };
}

/** A merchant's server on this machine. It responds with the result of `answer`: a status, or a status and headers. */
export class WebhookReceiver {
  readonly received: ReceivedWebhook[] = [];
  connections = 0;
  answer: (webhook: ReceivedWebhook) => { status: number; headers?: Record<string, string>; body?: string } =
    () => ({ status: 200 });
  readonly #server: http.Server;

  private constructor() {
    this.#server = http.createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString('utf8');
        const headers = Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
        );
        const event = JSON.parse(body) as ReceivedWebhook['event'];
        const webhook = { path: request.url ?? '', headers, body, event };
        this.received.push(webhook);
        const answer = this.answer(webhook);
        response.writeHead(answer.status, answer.headers).end(answer.body);
      });
    });
    this.#server.on('connection', () => {
      this.connections += 1;
    });
  }

  static async open(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    receiver.#server.listen(0, '127.0.0.1');
    await once(receiver.#server, 'listening');
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  /** The deliveries to one path. */
  at(path: string): ReceivedWebhook[] {
    return this.received.filter((webhook) => webhook.path === path);
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}
