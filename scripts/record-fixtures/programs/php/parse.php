<?php

function open( {
