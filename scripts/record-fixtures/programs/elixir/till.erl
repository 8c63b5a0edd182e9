-module(till).
-export([main/0, open/1]).

main() ->
    catch_it(fun() -> open(none) end).

open(Key) ->
    1 + price(Key).

price(Key) when is_integer(Key) ->
    Key.

catch_it(Fun) ->
    try Fun()
    catch
        Class:Reason:Stack ->
            io:format("~p:~p~n~p~n", [Class, Reason, Stack]),
            error_logger:error_msg("open failed: ~p~n~p", [Reason, Stack]),
            spawn(fun() -> open(none) end),
            timer:sleep(200),
            Fun()
    end.
