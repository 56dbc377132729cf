import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';

const read = (environment: Record<string, string>) => readConfig(environment, '/').telemetry;
const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/base/' };

describe('what is exported', () => {
  it('is nothing unless a collector is named, or where it is disabled', () => {
    expect(read({})).toBeNull();
    expect(read({ OTEL_TRACES_SAMPLER: 'always_on', OTEL_SERVICE_NAME: 'x' })).toBeNull();
    expect(read({ ...endpoint, OTEL_SDK_DISABLED: 'true' })).toBeNull();
    expect(read({ ...endpoint, OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' })).toBeNull();
  });

  it('goes below the address of both signals, and to their own as it stands', () => {
    expect(read(endpoint)).toMatchObject({
      resource: { 'service.name': 'till' },
      traces: {
        url: 'http://collector:4318/base/v1/traces',
        protocol: 'http/protobuf',
        ratio: 1,
        byParent: true,
        propagates: true,
        queue: { max: 2048, batch: 512, intervalMs: 5000 },
      },
      metrics: { url: 'http://collector:4318/base/v1/metrics', intervalMs: 60_000 },
    });
    const own = read({
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://traces/in',
      OTEL_EXPORTER_OTLP_HEADERS: 'X-Key=a%20b, tenant=1',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'tenant=2',
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.01',
      OTEL_PROPAGATORS: 'none',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=shop,deployment.environment.name=test',
    });
    expect(own).toMatchObject({
      resource: { 'service.name': 'shop', 'deployment.environment.name': 'test' },
      traces: {
        url: 'http://traces/in',
        protocol: 'http/json',
        headers: { 'x-key': 'a b', tenant: '2' },
        ratio: 0.01,
        byParent: false,
        propagates: false,
      },
      metrics: null,
    });
  });

  it('a wrong setting of both signals is one fault', () => {
    const wrong = () => read({ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' });
    expect(wrong).toThrow(/^1 setting is wrong:/);
  });

  it.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a secret without a name'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
    ['OTEL_RESOURCE_ATTRIBUTES', 'nothing'],
  ])('a wrong %s is a fault that names it, and shows no secret', (name, value) => {
    const fault = () => read({ [name]: value });
    expect(fault).toThrow(new RegExp(`${name}: got`));
    expect(fault).not.toThrow(/a secret without a name/);
  });
});
