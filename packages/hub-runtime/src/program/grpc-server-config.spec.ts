import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@flotilla/kube';
import { describe, expect, it } from 'vitest';
import { clientCaSourceOf, limitsOf, readServerConfig, servingSourceOf, tlsSettingsOf } from './grpc-server-config.ts';

/** Reads a file with this text. */
async function read(text: string) {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'flotilla-grpc-'));
  const path = join(directory.path, 'config.yaml');
  await writeFile(path, text);
  return readServerConfig(path, silentLogger);
}

const noFlags = { tlsCipherSuites: [] };

describe('the file of --server-config', () => {
  it('sets what it names, in the words of OCM [grpc-cloudevents 26.6-56]', async () => {
    const config = await read(`
tls_cert_file: /a/tls.crt
tls_key_file: /a/tls.key
client_ca_file: /a/ca.crt
tls_min_version: VersionTLS13
tls_max_version: TLSv1.3
cipher_suites: TLS_AES_128_GCM_SHA256,TLS_AES_256_GCM_SHA384
server_bind_port: "9000"
max_concurrent_streams: 7
max_receive_message_size: 4096
max_send_message_size: 8192
connection_timeout: 10s
max_connection_age: 1h
server_ping_interval: 15s
server_ping_timeout: 5s
client_min_ping_interval: 5s
permit_ping_without_stream: true
cert_watch_interval: 2m
write_buffer_size: 32768
read_buffer_size: 32768
`);
    expect(config.serverBindPort).toBe(9000);
    expect(servingSourceOf(config, 'ns/secret')).toEqual({ certFile: '/a/tls.crt', keyFile: '/a/tls.key' });
    expect(clientCaSourceOf(config, 'ns/map')).toEqual({ file: '/a/ca.crt' });
    expect(limitsOf(config)).toMatchObject({
      maxStreamsPerConnection: 7,
      maxMessageBytes: 4096,
      maxSendBytes: 8192,
      handshakeTimeoutMs: 10_000,
      maxConnectionAgeMs: 3_600_000,
      pingIntervalMs: 15_000,
      pingTimeoutMs: 5000,
    });
    expect(tlsSettingsOf(config, noFlags)).toMatchObject({ minVersion: 'TLSv1.3', maxVersion: 'TLSv1.3' });
    expect(tlsSettingsOf(config, noFlags).ciphers).toMatch(/^TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384/);
  });

  it.each([
    ['does not exist', () => readServerConfig('/does/not/exist.yaml', silentLogger)],
    ['is not named', () => readServerConfig(undefined, silentLogger)],
    ['is empty', () => read('')],
  ])('leaves the defaults where it %s [grpc-cloudevents 26.6-56]', async (_, given) => {
    const config = await given();
    expect(config.serverBindPort).toBe(8090);
    expect(limitsOf(config)).toMatchObject({ maxMessageBytes: 4 * 1024 * 1024, pingIntervalMs: 20_000 });
    expect(servingSourceOf(config, 'ns/secret')).toEqual({ secret: 'ns/secret' });
    expect(clientCaSourceOf(config, 'ns/map')).toEqual({ configMap: 'ns/map' });
    expect(tlsSettingsOf(config, noFlags)).toEqual({});
  });

  it('has less to say than flags [grpc-cloudevents 26.6-56]', async () => {
    const config = await read('tls_min_version: VersionTLS12\ncipher_suites: TLS_AES_128_GCM_SHA256\n');
    const flags = { tlsMinVersion: 'VersionTLS13', tlsCipherSuites: ['TLS_AES_256_GCM_SHA384'] };
    const { minVersion, ciphers } = tlsSettingsOf(config, flags);
    expect(minVersion).toBe('TLSv1.3');
    expect(ciphers).toMatch(/^TLS_AES_256_GCM_SHA384/);
  });

  it.each([
    ['YAML that is none', 'a: [', /config.yaml:\d+ is not valid YAML/],
    ['a key that does not exist', 'tls_cert_fil: x', /config.yaml:1 tls_cert_fil is not a known option.*tls_cert_file/],
    ['a TLS version that is too old', 'tls_min_version: VersionTLS11', /tls_min_version: VersionTLS11 .*VersionTLS12/],
    ['versions the wrong way round', 'tls_min_version: VersionTLS13\ntls_max_version: VersionTLS12', /is newer than/],
    ['a cert watch interval of 30s', 'cert_watch_interval: 30s', /cert_watch_interval must be more than 30s/],
    ['a port that is none', 'server_bind_port: "http"', /server_bind_port: http is not a whole number/],
  ])('is refused with %s [grpc-cloudevents 26.6-56]', async (_, text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });
});
