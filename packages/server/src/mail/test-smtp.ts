import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  /** The envelope sender; independent of the headers. */
  readonly from: string;
  readonly recipients: readonly string[];
  /** The unfolded header lines. */
  readonly headers: readonly string[];
  readonly body: string;
}

/** Starts a real SMTP server on a free port that stores the mails it receives, for tests. */
export async function startSmtpServer(): Promise<{
  readonly url: string;
  readonly received: ReceivedMail[];
  /** Makes the server refuse mails with an error; null makes it accept them again. */
  refuse: (error: Error | null) => void;
  stop: () => Promise<void>;
}> {
  const received: ReceivedMail[] = [];
  let refusal: Error | null = null;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (refusal === null) {
          const { mailFrom, rcptTo } = session.envelope;
          const [head = '', ...rest] = Buffer.concat(chunks).toString().split('\r\n\r\n');
          received.push({
            from: mailFrom === false ? '' : mailFrom.address,
            recipients: rcptTo.map(({ address }) => address),
            headers: head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n'),
            body: rest.join('\r\n\r\n'),
          });
        }
        callback(refusal);
      });
    },
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    refuse: (error) => {
      refusal = error;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
}
