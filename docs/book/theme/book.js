// Programs of the book: colours, and a link that opens them in the playground.
(() => {
  'use strict';

  // The words of the language, for the highlighter that mdBook brings.
  if (window.hljs) {
    hljs.registerLanguage('futhark', () => ({
      keywords: {
        $pattern: /[A-Za-z_][\w']*/,
        keyword: 'def let entry type module val include import open local assert case do else for if in loop match then while with',
        literal: 'true false',
        type: 'i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 bool',
      },
      contains: [
        { scope: 'comment', className: 'comment', begin: /--/, end: /$/ },
        { scope: 'string', className: 'string', begin: /"/, end: /"|$/ },
        { scope: 'meta', className: 'meta', begin: /#\[/, end: /\]/ },
        { scope: 'symbol', className: 'symbol', begin: /#[A-Za-z_][\w']*/ },
        { scope: 'number', className: 'number', begin: /\b\d[\d_]*(\.\d+)?(e[-+]?\d+)?([iuf](8|16|32|64))?\b|\b0x[\da-f_]+\b/i },
      ],
    }));
    const paint = hljs.highlightElement || hljs.highlightBlock;
    for (const block of document.querySelectorAll('code.language-futhark')) {
      block.textContent = block.textContent;
      block.removeAttribute('data-highlighted');
      paint.call(hljs, block);
    }
  }

  // The playground reads the program from its address: base64url of deflate.
  const encode = async (text) => {
    const packed = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'));
    const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
    let binary = '';
    for (const byte of bytes) binary += String.fromCharCode(byte);
    return btoa(binary).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
  };
  // The playground is a folder beside the pages, if somebody has put it there.
  const root = typeof path_to_root === 'undefined' ? '' : path_to_root;
  const offer = async () => {
    if (!window.CompressionStream) return;
    const there = await fetch(`${root}playground/index.html`, { method: 'HEAD' });
    if (!there.ok) return;
    for (const block of document.querySelectorAll('code.language-futhark')) {
      const link = document.createElement('a');
      link.className = 'run-link';
      link.textContent = 'run';
      link.title = 'Open this program in the playground';
      link.target = '_blank';
      link.rel = 'noopener';
      link.href = `${root}playground/#code=${await encode(block.textContent)}`;
      block.parentElement.append(link);
    }
  };
  offer().catch(() => {});
})();
