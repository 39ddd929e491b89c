import { describe, expect, it } from 'vitest';
import { isMilvus, parseAddress, shown, withToken } from './address.ts';

describe('the address of an index', () => {
  it.each([
    [
      'milvus://engine/docs',
      { host: 'engine:19530', tls: false, collection: 'docs', user: undefined, secret: undefined },
    ],
    ['milvuss://engine:443/docs?ca=/etc/ca.pem', { host: 'engine:443', tls: true, ca: '/etc/ca.pem' }],
    ['milvus://user:p%40ss%2Fword@engine:80/docs', { host: 'engine:80', user: 'user', secret: 'p@ss/word' }],
    ['milvus://:token-1@engine/docs?database=team', { user: undefined, secret: 'token-1', database: 'team' }],
    ['milvus://[::1]:1/docs', { host: '[::1]:1' }],
  ])('%s', (db, parts) => {
    expect(isMilvus(db)).toBe(true);
    expect(parseAddress(db)).toMatchObject(parts);
  });

  it.each([
    ['milvus://', 'is not the address of an index'],
    ['milvus://engine', 'names no collection'],
    ['milvus://engine/two/parts', 'names the collection "two/parts"'],
    ['milvus://engine/1st', 'names the collection "1st"'],
    ['milvus://engine/docs?token=x', 'has the setting token; known are database and ca'],
    ['milvus://engine/docs?ca=x', 'that is for milvuss://'],
    ['milvus://engine:99999/docs', 'is not the address of an index'],
  ])('%s is refused', (db, sentence) => {
    expect(() => parseAddress(db)).toThrow(sentence);
  });

  it('never shows user, password or token', () => {
    const secret = 'milvus://user:hush@engine/docs';
    expect(shown(secret)).toBe('milvus://engine/docs');
    expect(parseAddress(secret).name).toBe('milvus://engine:19530/docs');
    expect(() => parseAddress('milvus://user:hush@engine/1st')).toThrow(/^(?!.*(?:hush|user)).*$/s);
    expect(() => parseAddress('milvus://user:hush@engine:99999/docs')).toThrow(/^(?!.*(?:hush|user)).*$/s);
    expect(shown('data/a@b.db')).toBe('data/a@b.db');
  });

  it('takes a token from elsewhere unless it has one', () => {
    expect(parseAddress(withToken('milvus://engine/docs', 'user:pa:ss@'))).toMatchObject({
      user: 'user',
      secret: 'pa:ss@',
    });
    expect(parseAddress(withToken('milvus://engine/docs', 'abc'))).toMatchObject({ user: undefined, secret: 'abc' });
    expect(withToken('milvus://a:b@engine/docs', 'abc')).toBe('milvus://a:b@engine/docs');
    expect(withToken('docs.db', 'abc')).toBe('docs.db');
    expect(withToken('milvus://engine/docs', undefined)).toBe('milvus://engine/docs');
  });
});
