/**
 * A stand-in for processor_a that sends the same response to every charge, over the real protocol (Adyen Checkout API,
 * `POST /payments`), after the number of milliseconds in its parameter, and sends no notifications. It measures Till alone,
 * without the simulator's ledger.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const answer = (reference: string) => ({
  resultCode: 'Authorised',
  pspReference: randomUUID().replaceAll('-', '').slice(0, 16).toUpperCase(),
  merchantReference: reference,
  amount: { currency: 'EUR', value: 4990 },
  paymentMethod: { type: 'scheme', brand: 'visa' },
  additionalData: {
    authCode: '012345',
    refusalReasonRaw: 'AUTHORISED',
    networkTxReference: '123456789012345',
    cardBin: '411111',
    cardSummary: '1111',
    paymentMethod: 'visa',
    cvcResult: '1 Matches',
    cvcResultRaw: 'M',
    avsResult: '5 No AVS data provided',
  },
});

const delayMs = Number(process.argv[2] ?? 0);

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const reference = /"reference":"([^"]*)"/.exec(Buffer.concat(chunks).toString())?.[1] ?? '';
    const body = JSON.stringify(answer(reference));
    response
      .setHeader('content-type', 'application/json')
      .setHeader('content-length', Buffer.byteLength(body));
    if (delayMs === 0) response.end(body);
    else setTimeout(() => response.end(body), delayMs);
  });
});

server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('disconnect', () => process.exit());
process.on('SIGINT', () => {});
