/** Traces of deep folders, as servers print them: each has rows that are longer than a terminal is wide. */
export const LONG_TRACES: ReadonlyMap<string, string> = new Map([
  [
    'Python',
    `Traceback (most recent call last):
  File "/srv/shop/releases/20260401/current/src/kiosk/till.py", line 1478, in open_till
    drawer = self.unlocked_drawer_of()
  File "/srv/shop/releases/20260401/current/src/kiosk/till.py", line 882, in unlocked_drawer_of
    return self.drawers[name]
ValueError: no drawer: 42`,
  ],
  [
    'V8',
    `TypeError: Cannot read properties of undefined (reading 'price')
    at Object.total [as sum] (/srv/shop/releases/20260401/current/src/lib/cart.js:10:5)
    at async main (/srv/shop/releases/20260401/current/src/index.js:20:31)
    at /srv/shop/releases/20260401/current/node_modules/express/lib/router/index.js:284:15`,
  ],
  [
    'the JVM',
    `Exception in thread "main" java.lang.IllegalStateException: closed
\tat com.acme.shop.orders.services.OrderServiceImplementation.processAllOrders(OrderServiceImplementation.java:12)
\tat com.acme.shop.orders.services.TillServiceImplementation.closeAllTills(TillServiceImplementation.java:123)
\tat java.base/java.lang.Thread.run(Thread.java:833)`,
  ],
  [
    'Go',
    `panic: runtime error: index out of range [5] with length 3

goroutine 1 [running]:
example.com/acme/shop/internal/services.(*Till).Open(0xc000012345, {0x1, 0x2})
\t/home/till/go/src/example.com/acme/shop/internal/services/till.go:15 +0x1d
main.main()
\t/home/till/go/src/example.com/acme/shop/cmd/shop/main.go:9 +0x20
exit status 2`,
  ],
  [
    'Ruby',
    `/srv/shop/releases/20260401/current/app/models/order.rb:12:in \`process_all_orders': undefined method \`price' for nil:NilClass (NoMethodError)
\tfrom /srv/shop/releases/20260401/current/app/models/till.rb:122:in \`block in checkout'
\tfrom /srv/shop/releases/20260401/current/app/models/till.rb:42:in \`each'`,
  ],
  [
    'PHP',
    `PHP Fatal error:  Uncaught RuntimeException: closed in /srv/shop/releases/20260401/current/src/Service/Order.php:12
Stack trace:
#0 /srv/shop/releases/20260401/current/src/Service/Till.php(122): App\\Service\\Order->process()
#1 /srv/shop/releases/20260401/current/public/index.php(42): App\\Service\\Till->run()
#2 {main}
  thrown in /srv/shop/releases/20260401/current/src/Service/Order.php on line 12`,
  ],
  [
    '.NET',
    `Unhandled exception. System.InvalidOperationException: closed
   at Acme.Shop.Services.OrderService.ProcessAllOrders(String name) in /srv/shop/releases/20260401/src/Services/OrderService.cs:line 122
   at Acme.Shop.Program.Main(String[] args) in /srv/shop/releases/20260401/src/Program.cs:line 12`,
  ],
  [
    'Rust',
    `thread 'main' panicked at src/services/order_service.rs:122:14:
called \`Option::unwrap()\` on a \`None\` value
stack backtrace:
   0: rust_begin_unwind
             at /rustc/9fc6b43126469e3858e2fe86cafb4f0fd5068869/library/std/src/panicking.rs:665:5
   1: core::panicking::panic_fmt
             at /rustc/9fc6b43126469e3858e2fe86cafb4f0fd5068869/library/core/src/panicking.rs:74:14
   2: shop::services::order_service::process_all_orders
             at ./src/services/order_service.rs:122:14
   3: shop::main
             at ./src/main.rs:12:5`,
  ],
])
