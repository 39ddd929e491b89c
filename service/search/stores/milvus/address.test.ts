import { describe, expect, it } from 'vitest';
import { openReader, writeMeta } from '../open.ts';
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
    ['milvus://engine/%zz', 'names the collection "%zz"'],
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

  it('takes a password with a sign that is no encoding as it stands', () => {
    expect(parseAddress('milvus://user:100%@engine/docs').secret).toBe('100%');
  });

  it.each([
    ['http://engine:19530/docs', /^http:\/\/ is no place for an index/],
    ['milvis://user:hush@engine/docs', /^milvis:\/\/ is no place for an index(?!.*hush)/],
    [' ', /is empty/],
  ])('%j is neither a file nor an engine', async (db, sentence) => {
    await expect(openReader(db, { dense: false })).rejects.toThrow(sentence);
    await expect(writeMeta(db, {})).rejects.toThrow(sentence);
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
