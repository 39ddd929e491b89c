/** A worker of the tests that cannot start. */
throw new Error('it cannot start');
