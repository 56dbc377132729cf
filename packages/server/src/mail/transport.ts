import { createTransport } from 'nodemailer';
import type { Sender } from './address.ts';
import type { DueMail } from './store.ts';

/** Sends one mail to the mail server. Rejects if the server does not accept it. */
export type SendMail = (mail: DueMail, signal: AbortSignal) => Promise<void>;

const stepMs = 10_000;

const connectTo = (url: string) =>
  createTransport({
    url,
    connectionTimeout: stepMs,
    greetingTimeout: stepMs,
    socketTimeout: stepMs,
    dnsTimeout: stepMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });

/** Connects to the mail server and authenticates, without sending mail. Rejects if the server refuses or does not respond. */
export async function verifySmtp(url: string): Promise<void> {
  const transport = connectTo(url);
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}

/**
 * Sends mail over SMTP. Every mail has one recipient, which is set in the envelope, so that no header can add another one.
 * @param url `smtp://` or `smtps://`, with user and password if the server requires them
 */
export function smtpTransport(url: string, from: Sender): SendMail {
  const transport = connectTo(url);
  return async (mail, signal) => {
    await transport.sendMail({
      from: { name: from.name, address: from.address },
      to: { name: '', address: mail.to_address },
      envelope: { from: from.address, to: [mail.to_address] },
      subject: mail.subject,
      text: mail.text,
      ...(mail.html === null ? {} : { html: mail.html }),
      // The id is the same on every attempt, so that a mail that arrived twice can be recognized.
      messageId: `<${mail.id}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
      date: mail.created_at,
      headers: { 'Auto-Submitted': 'auto-generated' },
      signal,
    });
  };
}
