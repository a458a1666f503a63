import { describe, expect, it } from 'vitest';
import { accessOfGrpcConfig, formatGrpcConfig, parseGrpcConfig, readGrpcConfig } from './grpc-config.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const files: Readonly<Record<string, string>> = {
  '/ca': 'the CA',
  '/cert': 'the certificate',
  '/key': 'the key',
  '/token': 'the-token\n',
};
const read = (text: string) =>
  readGrpcConfig('/config.yaml', async (path) => {
    const found = path === '/config.yaml' ? text : files[path];
    if (found === undefined) throw new Error(`no file ${path}`);
    return found;
  });

describe('the configuration of a gRPC client', () => {
  it('names a server and a token', async () => {
    const config = await read(`url: hub:8090\ncaData: ${base64('the CA')}\ntoken: secret\n`);
    expect(config).toEqual({ url: 'hub:8090', ca: 'the CA', token: 'secret' });
    expect(accessOfGrpcConfig(config, 'a file')).toEqual({
      server: 'https://hub:8090',
      ca: 'the CA',
      authorization: 'Bearer secret',
      origin: 'a file',
    });
  });

  it('names files, whose contents are read; a line end is not part of a token', async () => {
    const config = await read(
      'url: hub:8090\ncaFile: /ca\nclientCertFile: /cert\nclientKeyFile: /key\ntokenFile: /token',
    );
    expect(config).toEqual({
      url: 'hub:8090',
      ca: 'the CA',
      clientCertificate: { certificate: 'the certificate', key: 'the key' },
      token: 'the-token',
    });
  });

  it('has data that wins over files', async () => {
    const config = await read(`url: hub:8090\ncaFile: /missing\ncaData: ${base64('inline')}`);
    expect(config.ca).toBe('inline');
  });

  it('[grpc-cloudevents 26.6-55] says how long the server may be silent, and is as good in JSON', async () => {
    const keepAliveConfig = { enable: true, time: '10s', timeout: '5s' };
    const fields = { url: 'hub:8090', keepAliveConfig, serverHealthinessTimeout: '20s' };
    const expected = { url: 'hub:8090', keepAliveConfig, serverHealthinessTimeoutMs: 20_000 };
    expect(await read(JSON.stringify(fields))).toEqual(expected);
    expect(
      await read(
        'url: hub:8090\nkeepAliveConfig: {enable: true, time: 10s, timeout: 5s}\nserverHealthinessTimeout: 20s',
      ),
    ).toEqual(expected);
  });

  it.each([
    ['names no server', 'token: x', 'url is required'],
    ['has a scheme', 'url: https://hub:8090', 'url is "https://hub:8090"'],
    ['has a certificate without a key', 'url: a:1\nclientCertFile: /cert', 'either both or none of clientCertFile'],
    ['has a key without a certificate', 'url: a:1\nclientKeyFile: /key', 'either both or none of clientCertFile'],
    ['has a token and no CA', 'url: a:1\ntoken: x', 'setting token requires authority certificates'],
    ['has a field of another type', 'url: [a]', 'url is ["a"]'],
    ['has a time that is none', 'url: a:1\nserverHealthinessTimeout: soon', '"soon" is not a duration'],
    ['names a file that is not there', 'url: a:1\ncaFile: /missing', 'no file /missing'],
    ['is a list', '- url', 'it is not a YAML mapping'],
    ['is not YAML', '{', '/config.yaml is not YAML'],
  ])('[grpc-cloudevents 26.6-55] is refused if it %s', async (_, text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });

  it('is not encrypted without credentials, as in OCM', async () => {
    expect(accessOfGrpcConfig(await read('url: localhost:8090'), 'a file').server).toBe('http://localhost:8090');
  });

  it('is written byte for byte as OCM writes it, and read again', () => {
    const text = formatGrpcConfig({
      url: 'hub:8090',
      caData: 'Y2E=',
      clientCertFile: '/spoke/hub-kubeconfig/tls.crt',
      clientKeyFile: '/spoke/hub-kubeconfig/tls.key',
    });
    expect(text).toBe(
      [
        'caData: Y2E=',
        'clientCertFile: /spoke/hub-kubeconfig/tls.crt',
        'clientKeyFile: /spoke/hub-kubeconfig/tls.key',
        'url: hub:8090',
        'token: ""',
        '',
      ].join('\n'),
    );
    expect(parseGrpcConfig(text, 'the Secret')).toEqual({ url: 'hub:8090', caData: 'Y2E=' });
  });
});
