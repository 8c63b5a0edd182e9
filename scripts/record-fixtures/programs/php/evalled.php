<?php

call_user_func(function () {
    eval("\n\n throw new LogicException('from eval');");
});
