import type { Config } from '../../../config/config.ts';
import { pingRedis } from '../../../http/rate-limit/redis-buckets.ts';
import { userAgent } from '../../../lib/version.ts';
import { verifySmtp } from '../../../mail/transport.ts';
import { askCollector } from '../../../telemetry/ask-collector.ts';
import { addressOf } from '../../develop/listen.ts';
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts';

const timeoutMs = 5_000;

/** Checks the server that runs with the same environment, through its public URL. */
export async function checkServer(config: Config): Promise<Finding[]> {
  const { port, baseUrl } = config;
  const check = 'server';
  if (port === 0 && baseUrl === null) return [warn(check, 'PORT=0: its port is not known here', 'set PORT')];
  const address = addressOf(config);
  try {
    const answer = await fetch(`${address}/readyz`, {
      headers: { 'user-agent': userAgent },
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (answer.ok) return [ok(check, `${address} is ready`)];
    const text = (await answer.text()).slice(0, 300);
    return [fail(check, `${address} answers ${answer.status}: ${text}`, 'look into its log')];
  } catch (error) {
    return [fail(check, `${address} does not answer: ${reasonOf(error)}`, 'start it, or correct BASE_URL')];
  }
}

export async function checkMail({ smtpUrl }: Config): Promise<Finding[]> {
  if (smtpUrl === null) {
    return [
      warn(
        'mail',
        'SMTP_URL is not set: nobody is notified of disputes by mail',
        'set SMTP_URL and MAIL_FROM',
      ),
    ];
  }
  try {
    await verifySmtp(smtpUrl);
    return [ok('mail', 'the mail server takes our mail')];
  } catch (error) {
    return [fail('mail', reasonOf(error), 'correct SMTP_URL')];
  }
}

export async function checkRedis({ redisUrl }: Config): Promise<Finding[]> {
  if (redisUrl === null) return [ok('rate limits', 'each process keeps its own')];
  try {
    await pingRedis(redisUrl, timeoutMs);
    return [ok('rate limits', 'shared')];
  } catch (error) {
    return [fail('rate limits', reasonOf(error), 'start Valkey or Redis, or correct TILL_REDIS_URL')];
  }
}

/** Checks the collectors of traces and metrics by sending them an empty message. */
export async function checkTelemetry({ telemetry }: Config): Promise<Finding[]> {
  const targets = [
    { check: 'traces', target: telemetry?.traces ?? null },
    { check: 'metrics to a collector', target: telemetry?.metrics ?? null },
  ];
  return Promise.all(
    targets.map(async ({ check, target }) => {
      if (target === null) return ok(check, 'not exported');
      const failure = await askCollector(target, timeoutMs);
      return failure === null
        ? ok(check, 'the collector takes them')
        : fail(check, failure, 'start the collector, or correct the settings OTEL_EXPORTER_OTLP_…');
    }),
  );
}
